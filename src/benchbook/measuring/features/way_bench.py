"""Trials in one way of asking each: keys warmed and requests timed over a way of one length, or trips counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import psycopg
from psycopg import pq

from benchbook import statistics
from benchbook.engines.postgres import counters, sessions
from benchbook.measuring.features import bench, trips, window
from benchbook.measuring.features.bench import Metrics
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.keys import requests as asked_for
from benchbook.measuring.features.loaded import Tables
from benchbook.measuring.features.parameters import OWN, Features
from benchbook.measuring.features.surroundings import surrounded
from benchbook.measuring.features.ways import WayClient, definition, way
from benchbook.measuring.postgres import running
from benchbook.measuring.samples import Begun
from benchbook.model import PlannedTrial, Trial
from benchbook.parameters.base import param
from benchbook.workloads import hash_keys

COUNTED = "counted_on_the_wire"
PARTS = 3
"""Every trial asks for a third of the tables, for two thirds and for all of them, in turn."""
ENDS = ("_third", "_two_thirds", "")
"""Ends of the metrics' names: of requests for so many tables."""


class WayParameters(Features):
    """What the ways of asking depend on."""

    connections: tuple[int, ...] = param((2, 3, 4), words="numbers of connections that divide a request's tables")
    tables_per_union: int = param(3, 2, 100, "tables in a statement of the grouped unions")

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many tables a request reads: the least first."""
        return tuple(self.n_tables * part // PARTS for part in range(1, PARTS + 1))

    @property
    def modes(self) -> dict[str, str]:
        """The ways of asking, in the order of the figures, and what these call them."""
        plain = {
            "serial": "one by one", "pipeline": "pipeline", "unions": f"unions of {self.tables_per_union} tables",
            "one_union": "one union", "one_function": "one function",
        }  # fmt: skip
        return plain | {f"connections_{each}": f"{each} connections" for each in self.connections}


@contextmanager
def session(parameters: WayParameters, progress: Callable[[str, float], None]) -> Iterator[WayBench]:
    with bench.session_of(WayBench)(parameters, progress) as found:
        with running(found.cluster, {}), found.cluster.connect() as connection:
            for size in parameters.sizes:
                connection.execute(definition(found.tables[OWN].layout, size).encode())
        yield found


class WayBench(bench.Bench):
    """Loaded tables, asked in one way a trial."""

    def provenance(self) -> dict[str, Any]:
        return super().provenance() | {"psycopg": psycopg.__version__, "libpq": pq.version()}

    def _measure(self, planned: PlannedTrial) -> Trial:
        """Keys warmed, and requests timed over a way of one length; or nothing timed, but trips counted."""
        settings, p = planned.configuration.settings, self.parameters
        assert isinstance(p, WayParameters)
        tables, mode = self.of(settings), str(settings["mode"])
        keys = asked_for(p, planned.configuration, planned.seed, self._choosing(tables, planned.seed))
        every = {each: [way(each, tables.layout, size, p.tables_per_union) for size in p.sizes] for each in p.modes}
        own = every.get(mode)
        begun = Begun()
        with surrounded(self, p.pool_mib(settings), settings) as around, ExitStack() as stack:
            stack.enter_context(self.on_client())
            observer = stack.enter_context(self.cluster.connect())
            lanes = [stack.enter_context(around.connect()) for _ in (own[0].lanes if own else (None,))]
            in_force = sessions.checked(lanes[0])
            warmer = Client(lanes[0], tables.layout, serial=False, only_first=False, empty=False)
            warmer.warm(keys.warm)
            needed = tables.pages.needed(keys.measured if own else keys.warm)
            if own:
                asking = stack.enter_context(WayClient(lanes, own, p.n_features + 1))
                asking.settle(hash_keys(keys.warm[:1].tolist())[0])
            held = window.residency(tables, observer, needed)
            direct, samples = not self.direct_io, {}
            state = statistics.cache_state(held.needed_in_pool, held.needed_in_os, os_cache_in_play=direct)
            found: Metrics = {"needed_pages": float(len(needed)), "needed_in_pool_at_start": held.needed_in_pool}
            if own:
                before = self._counters(tables, observer, lanes)
                done = asking.run(keys.measured, p.window_requests)
                whole, requests = self._counters(tables, observer, lanes) - before, len(keys.measured)
                samples = {"request": done.latencies}
                found |= reduce(done.latencies) | {
                    "requests": float(requests),
                    "lookups": float(sum(p.sizes[place % PARTS] for place in range(requests))),
                    "index_scans": float(whole.index_scans),
                    "pool_misses_per_request": whole.reads / requests,
                    "loop_share_in_requests": float(done.latencies.sum()) / done.loop_ns,
                    "trips": float(own[-1].trips),
                }
            else:
                row = int(keys.warm[0])
                assert around.proxy is not None
                with trips.relayed(around.proxy.folder) as relay:
                    for each, counts in trips.by_way(relay, every, p.n_features + 1, row).items():
                        found |= {counted(each, end): float(count) for end, count in zip(ENDS, counts, strict=True)}
                    found |= trips.of_the_notes_code(relay, tables.layout, row)
                found |= trips.at_once(self.cluster.connect, tables.layout, row)
            metrics = found | around.certificate(around.delayed(), len(keys.measured))
        labels = {"state": "measured", "settings": in_force, "cache_state": str(state)}
        return begun.ended(planned, metrics, labels, samples)

    def _counters(self, tables: Tables, observer: Any, lanes: list[Any]) -> counters.Counters:
        """The counters now, with what every connection has still to report."""
        for each in lanes[1:]:
            counters.flush(each, self.binaries)
        return counters.read(observer, lanes[0], self.binaries, tables.layout.schema)


def reduce(latencies: np.ndarray) -> Metrics:
    """Mean and P50 of a trial's latencies in ns, int64, shape (requests,); every third one has equally many tables."""
    parts = {end: latencies[place :: len(ENDS)] for place, end in enumerate(ENDS)}
    means: Metrics = {f"mean{end}_ns": float(own.mean()) if len(own) else None for end, own in parts.items()}
    return means | {f"p50{end}_ns": statistics.quantile(own, 0.5) if len(own) else None for end, own in parts.items()}


def counted(mode: str, end: str = "") -> str:
    """Name of the metric with the trips of a way of asking."""
    return f"trips_{mode}{end or '_all'}"
