"""One trial: a fresh server, its cache certified, the keys warmed, measured in windows and certified again."""

from __future__ import annotations

import gc
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from benchbook.engines import cores
from benchbook.engines.postgres import Cluster, find, identity, private_cluster, sessions
from benchbook.engines.postgres import counters as pg
from benchbook.experiments.families.features import dataset, window
from benchbook.experiments.families.features.client import Client
from benchbook.experiments.families.features.keys import EMPTY, requests
from benchbook.experiments.families.features.loaded import Tables
from benchbook.experiments.families.features.pages import page_map
from benchbook.experiments.families.features.parameters import Features
from benchbook.experiments.families.features.reduction import reduce
from benchbook.experiments.needs import Needs
from benchbook.model import PlannedTrial, Trial


def needs(parameters: Features) -> Needs:
    """Disk for the data set, the write-ahead log and sorting; memory for the pool and the client; a PostgreSQL."""
    return Needs(
        disk_bytes=int(parameters.data_bytes * 1.3) + 500_000_000,
        memory_bytes=parameters.largest_pool_mib * 2**20 + 1_000_000_000,
        engine=identity,
    )


@contextmanager
def session(parameters: Features, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A loaded private cluster on which trials are measured; ``progress`` is told of the loading."""
    binaries = find()
    with private_cluster(binaries, bytes_needed=needs(parameters).disk_bytes) as cluster:
        cluster.start({"shared_buffers": "512MB", "synchronous_commit": False})
        dataset.load(cluster, parameters, lambda share: progress("loading tables", share))
        pages = page_map(cluster, parameters)
        with cluster.connect() as connection:
            heap_bytes, index_bytes = dataset.relation_bytes(connection)
            paths = _data_paths(cluster, parameters)
        cluster.stop()
        statistics = cluster.folder / "statistics-after-load"
        shutil.copytree(cluster.data / "pg_stat", statistics)
        gc.freeze()  # collections between windows then look at what the trial made, not at all imported modules
        try:
            yield Bench(parameters, binaries, cluster, heap_bytes, index_bytes, pages, paths, statistics)
        finally:
            gc.unfreeze()


def _data_paths(cluster: Cluster, parameters: Features) -> list[tuple[int, Path]]:
    with cluster.connect() as connection:
        found = []
        for name, number in dataset.relations(parameters).items():
            row = connection.execute("SELECT pg_relation_filepath(%s::regclass)", (name,)).fetchone()
            assert row is not None
            found.append((number, cluster.data / str(row[0])))
    return found


class Bench(Tables):
    """A loaded data set, measured trial by trial."""

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once."""
        settings = planned.configuration.settings
        asked = requests(self.parameters, planned.configuration, planned.seed)
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        self.start(self.parameters.pool_mib(settings))
        try:
            client_cores = None if self.cores is None else self.cores.client
            with cores.on(client_cores), self.cluster.connect() as observer, self.cluster.connect() as measured:
                in_force = sessions.checked(measured)
                empty = settings["draw"] == EMPTY
                asking = Client(measured, self.parameters, only_first=asked.only_first, empty=empty)
                # A new server's counters hold the load and the index build alone: every trial starts from them.
                loaded = pg.read(observer, measured, self.binaries, dataset.SCHEMA)
                if settings.get("probe") is not False:
                    asking.probe()
                if len(asked.warm):
                    asking.run(asked.warm)
                measurement = window.measure(self, observer, measured, asking, asked, loaded, empty=empty)
        finally:
            self.cluster.stop()
        metrics = measurement.metrics | reduce(measurement.latencies)
        seconds = time.monotonic() - clock
        labels = {**measurement.labels, "settings": in_force}
        return Trial(planned, started_at, seconds, metrics, labels, {"request": measurement.latencies})
