"""One trial: a fresh server behind slower reads and a longer way, keys warmed at once, requests timed one by one."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from datetime import UTC, datetime

import numpy as np
import psycopg

from benchbook.chapters.networked_keys.arms import VARIED
from benchbook.chapters.networked_keys.client import VaryingClient, waits_ns
from benchbook.engines import cores
from benchbook.engines.postgres import counters as pg
from benchbook.engines.postgres import device, sessions
from benchbook.engines.storage import latency
from benchbook.measuring.features import bench, window
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.keys import requests
from benchbook.measuring.features.reduction import reduce
from benchbook.measuring.features.surroundings import Surroundings, surrounded
from benchbook.model import READS, PlannedTrial, Trial


def of(made: bench.Bench) -> Bench:
    """The family's loaded tables, measured as this chapter does."""
    return Bench(**{each.name: getattr(made, each.name) for each in fields(made) if each.init})


class Bench(bench.Bench):
    """Loaded tables, asked over a network that is added, with reads that vary where a configuration says so."""

    def _measure(self, planned: PlannedTrial) -> Trial:
        settings, p = planned.configuration.settings, self.parameters
        tables = self.of(settings)
        asked = requests(p, planned.configuration, planned.seed, self._choosing(tables, planned.seed))
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        with surrounded(self, p.pool_mib(settings), settings) as around, ExitStack() as stack:
            stack.enter_context(cores.on(None if self.cores is None else self.cores.client))
            observer = stack.enter_context(self.cluster.connect())
            measured = stack.enter_context(around.connect())
            read_bytes = stack.enter_context(device.reads_of(measured.info.backend_pid))
            in_force = sessions.checked(measured)
            # A new server's counters hold the load and the index build alone: every trial starts from them.
            before = pg.read(observer, measured, self.binaries, tables.layout.schema)
            warmer = Client(measured, tables.layout, serial=False, only_first=False, empty=False)
            with around.at_once():
                warmer.probe()
                warmer.warm(asked.warm)
            asking, spread = self._client(stack, around, measured, planned, len(asked.measured), read_bytes)
            delayed = around.delayed()
            done = window.measure(self, tables, observer, measured, asking, asked, before, empty=False)
            metrics = done.metrics | reduce(done.latencies) | around.certificate(delayed, len(done.latencies))
        metrics |= spread | shares(metrics, p.n_tables)
        samples = {"request": done.latencies} | ({} if done.reads is None else {READS: done.reads})
        labels = {"state": "measured", "settings": in_force, **done.labels}
        return Trial(planned, started_at, time.monotonic() - clock, metrics, labels, samples)

    def _client(
        self, stack: ExitStack, around: Surroundings, measured: psycopg.Connection[tuple[object, ...]],
        planned: PlannedTrial, count: int, read_bytes: Callable[[], int] | None,
    ) -> tuple[Client, dict[str, float | None]]:  # fmt: skip
        """The client that measures, and how widely the waits of its reads are to spread."""
        settings, layout = planned.configuration.settings, self.of(planned.configuration.settings).layout
        by = settings.get("varied")
        if not by:
            client = Client(measured, layout, serial=True, only_first=False, empty=False, read_bytes=read_bytes)
            return client, {"asked_wait_spread": 0.0}
        assert around.added is not None
        generator = np.random.default_rng([planned.seed, [*VARIED].index(str(by))])
        waits = waits_ns(str(by), around.added.read_ms, count, self.parameters.n_tables, generator)
        wait = stack.enter_context(latency.varying(around.added))
        client = VaryingClient(measured, layout, read_bytes=read_bytes, waits=waits, wait=wait)
        return client, {"asked_wait_spread": float(waits.std() / waits.mean())}


def shares(metrics: dict[str, float | None], tables: int) -> dict[str, float | None]:
    """Which shares of the requests' time the added delay of reads and the added round trips take, as measured."""
    mean_ms = (metrics["mean_ns"] or 0.0) / 1e6
    reads_ms = (metrics.get("delayed_reads_per_request") or 0.0) * (metrics.get("measured_read_ms") or 0.0)
    trips_ms = tables * (metrics.get("measured_trip_ms") or 0.0)
    return {"reads_time_share": reads_ms / mean_ms, "trips_time_share": trips_ms / mean_ms}
