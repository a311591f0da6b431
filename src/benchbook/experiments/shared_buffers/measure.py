"""The session: pgbench's tables loaded once and kept as a template; each trial on a copy, bounded in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

import psycopg

from benchbook.engines import bounds, huge_pages, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Template, failure, residency
from benchbook.engines.postgres import Cluster, find, identity, private_cluster, sessions
from benchbook.errors import MachineError
from benchbook.experiments.needs import Needs
from benchbook.experiments.shared_buffers import trial
from benchbook.experiments.shared_buffers.arms import Part, estimated_minutes
from benchbook.experiments.shared_buffers.loaded import Loaded
from benchbook.experiments.shared_buffers.parameters import Parameters
from benchbook.experiments.shared_buffers.settings import ram_bytes, server_settings
from benchbook.model import Configuration, PlannedTrial, Scalar, Trial

SIZE_SCALES = (2, 10)
"""Two small data sets whose sizes give the size per unit of scale."""
HUGE_PAGE_SPARE_BYTES = 128 * 2**20
"""Shared memory beside the pool, for the check before the start: the log's buffers, the descriptions of the pages."""
LARGEST_HUGE_SHARE = 0.375
_EXTENSIONS = ("pg_buffercache", "pg_prewarm")


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; huge pages if asked for."""

    def usable() -> None:
        if parameters.needs_huge_pages:
            wanted = int(LARGEST_HUGE_SHARE * ram_bytes(Part.WARM, parameters.data_bytes)) + HUGE_PAGE_SPARE_BYTES
            refusal = huge_pages.refusal(wanted, allowed=True)
            if refusal is not None:
                raise MachineError(
                    f"{wanted / 2**20:,.0f} MiB of huge pages cannot be reserved here: {refusal}",
                    "set allow_vm_settings=false to leave out the configurations with huge pages",
                )

    return Needs(parameters.disk_bytes, parameters.memory_bytes, identity, usable=usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    binaries = find()
    with private_cluster(binaries, bytes_needed=parameters.disk_bytes) as cluster:
        cluster.start({"shared_buffers": "256MB", "synchronous_commit": False, "maintenance_work_mem": "256MB"})
        minutes, gib = estimated_minutes(parameters), parameters.disk_bytes / 2**30
        progress(f"loading; measuring takes about {minutes:.0f} min and up to {gib:.1f} GiB of disk", 0.0)
        sizes: dict[str, int] = {}
        for scale in SIZE_SCALES:
            pgbench.initialise(cluster, scale)
            sizes[str(scale)] = _relation_bytes(cluster)
            with cluster.connect() as connection:
                connection.execute(f"DROP DATABASE {pgbench.DATABASE}")
        pgbench.initialise(cluster, parameters.scale)
        progress("keeping a template", 0.9)
        with pgbench.connect(cluster) as connection:
            for name in _EXTENSIONS:
                _extend(connection, name)
            paths = residency.paths(connection, cluster)
            contexts = dict(
                connection.execute(
                    "SELECT name, context FROM pg_settings WHERE name IN ('shared_buffers', 'bgwriter_lru_maxpages')"
                ).fetchall()
            )
            compression = _wal_compression(connection)
        data = _relation_bytes(cluster)
        cluster.stop()
        yield Bench(parameters, binaries, cluster, Template(cluster), paths, data, sizes, contexts, compression)


class Bench(Loaded):
    """A template of loaded tables, on whose copies trials are measured."""

    def provenance(self) -> dict[str, Any]:
        """The engine, the data set and what the machine allowed, for the run's record."""
        with bounds.memory(self.data_bytes * 3 if self.parameters.bound_memory else None) as bound:
            label = bound.label
        return {
            **self.binaries.identity(),
            "direct_io": self.direct_io,
            "data_bytes": self.data_bytes,
            "size_bytes_by_scale": self.size_bytes_by_scale,
            "contexts": self.contexts,
            "wal_compression": self.wal_compression,
            "memory_bound": label,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once. A server or pgbench that dies makes a failed trial, or ends the run."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        with ExitStack() as stack:
            bound, in_force = self._made_ready(stack, planned.configuration)
            try:
                measurement = trial.measure(self, planned, bound)
            except failure.FAILURES as error:
                problem = failure.recorded(self.cluster, error, keep_going=self.parameters.keep_going)
                measurement = trial.Measurement({}, {"state": f"failed: {problem}"}, {})
        labels = {"settings": in_force, "memory": bound.label, **measurement.labels}
        seconds = time.monotonic() - clock
        return Trial(planned, started_at, seconds, measurement.metrics, labels, measurement.samples)

    def _made_ready(self, stack: ExitStack, configuration: Configuration) -> tuple[MemoryBound, str]:
        """Restored data, memory bounded, a fresh server until ``stack`` closes, and its settings."""
        self.template.restore()
        direct = Part(str(configuration.settings["part"])) is Part.READS
        settings = server_settings(
            self.parameters, configuration, self.binaries,
            data_bytes=self.data_bytes, direct_io=self.direct_io, wal_compression=self.wal_compression,
        )  # fmt: skip
        limit = self.ram_bytes(configuration)
        if configuration.settings.get("huge_pages"):
            shared = _shared_bytes(self.cluster, settings)
            stack.enter_context(huge_pages.reserved(shared))
            limit -= shared  # huge pages are no part of what a control group counts
        bound = stack.enter_context(bounds.memory(limit if self.parameters.bound_memory else None))
        with bound.inside():
            if not direct and configuration.settings.get("os_cache", True):
                residency.read_once(self.paths)
            self.cluster.start(settings)
        stack.callback(self.cluster.stop)
        with pgbench.connect(self.cluster) as connection:
            in_force = sessions.checked(connection)
        return bound, in_force


def _relation_bytes(cluster: Cluster) -> int:
    with pgbench.connect(cluster) as connection:
        row = connection.execute(
            "SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class WHERE relkind = 'r' AND relname ~ '^pgbench'"
        ).fetchone()
    assert row is not None
    return int(row[0])


def _shared_bytes(cluster: Cluster, settings: Mapping[str, Scalar]) -> int:
    """Shared memory that a server with these settings will ask for, as it says itself; the cluster is stopped."""
    asked = [part for name, value in settings.items() if name != "huge_pages" for part in ("-c", f"{name}={value}")]
    said = cluster.run("postgres", "-D", str(cluster.data), *asked, "-C", "shared_memory_size")
    try:
        return (int(said.stdout) + 1) * 2**20
    except ValueError:
        problem = (said.stderr.strip() or "it said nothing").splitlines()[-1]
        raise MachineError(
            f"the server does not say how much shared memory it needs: {problem}",
            "use PostgreSQL 15 or later, or set allow_vm_settings=false",
        ) from None


def _extend(connection: psycopg.Connection[tuple[Any, ...]], name: str) -> None:
    try:
        connection.execute(f"CREATE EXTENSION {name}")
    except psycopg.Error as error:
        raise MachineError(
            f"this PostgreSQL lacks the extension {name}: {str(error).splitlines()[0]}",
            "install its contrib package, or unset BENCHBOOK_PG_BIN to use the embedded one",
        ) from None


def _wal_compression(connection: psycopg.Connection[tuple[Any, ...]]) -> str:
    """lz4 as in the notes where the server was built with it, else pglz, else (before 15) on."""
    row = connection.execute("SELECT enumvals FROM pg_settings WHERE name = 'wal_compression'").fetchone()
    offered = row[0] if row and row[0] else []
    return next((name for name in ("lz4", "pglz") if name in offered), "on")
