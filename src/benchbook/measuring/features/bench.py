"""One trial: a fresh server, its cache certified, the keys warmed, measured in windows and certified again."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from benchbook.engines.postgres import counters as pg
from benchbook.engines.postgres import device, find, identity, private_cluster, sessions
from benchbook.measuring.features import dataset, loaded, window
from benchbook.measuring.features.client import Client
from benchbook.measuring.features.dataset import Layout
from benchbook.measuring.features.keys import EMPTY, requests
from benchbook.measuring.features.loaded import LoadedTables, Tables
from benchbook.measuring.features.parameters import OWN, Features
from benchbook.measuring.features.surroundings import NotAsAskedError, surrounded
from benchbook.measuring.features.window import reduce
from benchbook.measuring.samples import Begun
from benchbook.model import READS, PlannedTrial, Trial
from benchbook.parameters.needs import Needs
from benchbook.statistics import CacheState

B = TypeVar("B", bound="Bench")
Metrics = dict[str, float | None]
ATTEMPTS = 3
"""A trial whose storage or way was not as slow as asked is measured again, so often at most; then it has failed."""


def needs(parameters: Features, usable: Callable[[], None] | None = None) -> Needs:
    """Disk for the data set, the write-ahead log and sorting; memory for the pool and the client; a PostgreSQL.

    usable: raises where the machine lacks what a chapter's own configurations take.
    """
    return Needs(
        disk_bytes=int(parameters.data_bytes * 1.1) + 800_000_000,
        memory_bytes=parameters.largest_pool_mib * 2**20 + 1_000_000_000,
        engine=identity,
        usable=usable,
    )


@dataclass(frozen=True)
class Bench(LoadedTables):
    """A loaded data set, measured trial by trial."""

    _apart: dict[tuple[str, int], np.ndarray] = field(default_factory=dict, init=False, repr=False)

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once; a failed trial where storage or way could not be had as slow as asked."""
        begun, problem = Begun(), ""
        for _ in range(ATTEMPTS):
            try:
                return self._measure(planned)
            except NotAsAskedError as error:
                problem = error.problem
        labels = {"state": f"failed: {problem}", "cache_state": str(CacheState.NOT_CERTIFIED)}
        return begun.ended(planned, {}, labels, {})

    def _measure(self, planned: PlannedTrial) -> Trial:
        settings = planned.configuration.settings
        tables, empty = self.of(settings), settings["draw"] == EMPTY
        asked = requests(self.parameters, planned.configuration, planned.seed, self._choosing(tables, planned.seed))
        begun = Begun()
        with surrounded(self, self.parameters.pool_mib(settings), settings) as around, ExitStack() as stack:
            stack.enter_context(self.on_client())
            observer = stack.enter_context(self.cluster.connect())
            measured = stack.enter_context(around.connect())
            read_bytes = stack.enter_context(device.reads_of(measured.info.backend_pid))
            in_force = sessions.checked(measured)
            asking = Client(
                measured, tables.layout, serial=settings.get("client", self.parameters.client_mode) == "serial",
                only_first=asked.only_first, empty=empty, read_bytes=read_bytes,
            )  # fmt: skip
            # A new server's counters hold the load and the index build alone: every trial starts from them.
            before = pg.read(observer, measured, self.binaries, tables.layout.schema)
            with around.at_once():
                if settings.get("probe") is not False:
                    asking.probe()
                if len(asked.warm):
                    asking.warm(asked.warm)
            delayed = around.delayed()
            done = window.measure(self, tables, observer, measured, asking, asked, before, empty=empty)
            metrics = done.metrics | reduce(done.latencies) | around.certificate(delayed, len(done.latencies))
        samples = {"request": done.latencies} | ({} if done.reads is None or empty else {READS: done.reads})
        labels = {"state": "measured", "settings": in_force, **done.labels}
        return begun.ended(planned, metrics | self.derived(metrics), labels, samples)

    def derived(self, metrics: Metrics) -> Metrics:
        """Further metrics of a chapter, that follow from these."""
        return {}

    def _choosing(self, tables: Tables, seed: int) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        """Keys that lie apart from the warmed ones, found once for the trials of a block, which share them."""

        def apart(warm: np.ndarray, others: np.ndarray) -> np.ndarray:
            key = (tables.layout.name, seed)
            if key not in self._apart:
                self._apart.clear()
                self._apart[key] = tables.pages.apart(warm, others)
            return self._apart[key]

        return apart


def session_of(kind: type[B]) -> Callable[[Features, Callable[[str, float], None]], AbstractContextManager[B]]:
    """The session of a chapter, whose trials are this kind's."""

    @contextmanager
    def session(parameters: Features, progress: Callable[[str, float], None]) -> Iterator[B]:
        binaries = find()
        layouts = [Layout(name, parameters) for name in parameters.layouts]
        with private_cluster(binaries, bytes_needed=needs(parameters).disk_bytes) as cluster:
            cluster.start({"shared_buffers": "512MB", "synchronous_commit": False})
            dataset.load(cluster, layouts, lambda share: progress("loading tables", share))
            found = {layout.name: loaded.tables(cluster, layout) for layout in layouts}
            cluster.stop()
            statistics = cluster.folder / "statistics-after-load"
            cluster.save(cluster.data / "pg_stat", statistics)
            gc.freeze()  # collections between windows then look at what the trial made, not at all imported modules
            try:
                own = found[OWN]
                yield kind(parameters, binaries, cluster, own.heap_bytes, own.index_bytes, found, statistics)
            finally:
                gc.unfreeze()

    return session


session = session_of(Bench)
