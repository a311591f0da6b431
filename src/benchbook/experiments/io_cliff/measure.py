"""The session: pgbench's tables kept as a template; each trial on a restored copy, memory and dirty data limited."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from typing import Any

import numpy as np
import psycopg

from benchbook.engines import bounds, dirty_limits, kernel_settings, pgbench
from benchbook.engines.bounds import MemoryBound
from benchbook.engines.dirty_limits import DirtyLimits
from benchbook.engines.pgbench import Template, failure, residency
from benchbook.engines.postgres import find, identity, private_cluster, sessions
from benchbook.errors import MachineError
from benchbook.experiments.io_cliff import trial
from benchbook.experiments.io_cliff.arms import minutes
from benchbook.experiments.io_cliff.loaded import Loaded
from benchbook.experiments.io_cliff.parameters import RAM_OVER_DATA, Parameters
from benchbook.experiments.io_cliff.settings import limits, ram_bytes, server_settings
from benchbook.experiments.needs import Needs
from benchbook.model import PlannedTrial, Trial


def needs(parameters: Parameters) -> Needs:
    """Disk for template, copy and log; memory for what the trials may use; a PostgreSQL; root where asked for."""

    def usable() -> None:
        refusal = kernel_settings.refusal() if parameters.allow_vm_settings else None
        if refusal is not None:
            raise MachineError(
                f"the kernel's limits of dirty data cannot be set: {refusal}",
                "set allow_vm_settings=false to measure under the machine's own limits only",
            )

    return Needs(parameters.disk_bytes, parameters.memory_bytes, identity, minutes(parameters), usable)


@contextmanager
def session(parameters: Parameters, progress: Callable[[str, float], None]) -> Iterator[Bench]:
    """A private cluster with a template of the loaded tables; ``progress`` is told of the loading."""
    binaries = find()
    with private_cluster(binaries, bytes_needed=parameters.disk_bytes) as cluster:
        progress("loading pgbench's tables", 0.0)
        cluster.start({"shared_buffers": "256MB", "synchronous_commit": False, "maintenance_work_mem": "256MB"})
        pgbench.initialise(cluster, parameters.scale)
        with cluster.connect() as connection:
            _extend(connection)
        with pgbench.connect(cluster) as connection:
            _extend(connection)
            paths = residency.paths(connection, cluster)
            row = connection.execute(
                """SELECT (SELECT sum(pg_total_relation_size(oid))::bigint FROM pg_class
                           WHERE relkind = 'r' AND relname ~ '^pgbench_'),
                          (SELECT enumvals FROM pg_settings WHERE name = 'wal_compression')"""
            ).fetchone()
        assert row is not None
        progress("keeping a template", 0.9)
        cluster.stop()
        compression = next((name for name in ("lz4", "pglz") if name in (row[1] or [])), "on")
        yield Bench(parameters, binaries, cluster, Template(cluster), paths, int(row[0]), compression)


class Bench(Loaded):
    """A template of loaded tables, on whose copies trials are measured."""

    def provenance(self) -> dict[str, Any]:
        """The engine, the data set, and what the machine allowed, for the run's record."""
        with bounds.memory(int(RAM_OVER_DATA * self.data_bytes) if self.parameters.bound_memory else None) as bound:
            label = bound.label
        own = dirty_limits.current()
        return {
            **self.binaries.identity(),
            "data_bytes": self.data_bytes,
            "wal_compression": self.wal_compression,
            "memory_bound": label,
            "machine_dirty_limit_bytes": None if own is None else own.limit_bytes,
            "machine_dirty_background_bytes": None if own is None else own.background_bytes,
        }

    def measure(self, planned: PlannedTrial) -> Trial:
        """Measure one configuration once. A server or pgbench that dies makes a failed trial, or ends the run."""
        started_at, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
        wanted = limits(self.parameters, planned.configuration, self.data_bytes)
        with ExitStack() as stack:
            bound, in_force = self._made_ready(stack, planned, wanted)
            try:
                measurement = trial.measure(self, planned, bound, wanted)
            except failure.FAILURES as error:
                problem = failure.recorded(self.cluster, error, keep_going=self.parameters.keep_going)
                measurement = trial.Measurement(
                    {}, {"state": f"failed: {problem}"}, {"stretch": np.zeros(0, dtype=np.int64)}
                )
        labels = {"settings": in_force, "memory": bound.label, "dirty_limits": _label(wanted), **measurement.labels}
        seconds = time.monotonic() - clock
        return Trial(planned, started_at, seconds, measurement.metrics, labels, measurement.samples)

    def _made_ready(
        self, stack: ExitStack, planned: PlannedTrial, wanted: DirtyLimits | None
    ) -> tuple[MemoryBound, str]:
        """Restored and written data, memory bounded, a fresh server and its settings; the limits of dirty data last.

        So neither the restoring nor the start is slowed by them, and every trial starts with nothing left to write.
        """
        arm = planned.configuration
        self.template.restore()
        limit = ram_bytes(arm, self.data_bytes)
        bound = stack.enter_context(bounds.memory(limit if self.parameters.bound_memory else None))
        settings = server_settings(
            self.parameters, arm, data_bytes=self.data_bytes, wal_compression=self.wal_compression
        )
        with bound.inside():
            residency.read_once(self.paths)
            self.cluster.start(settings)
        stack.callback(self.cluster.stop)
        with pgbench.connect(self.cluster) as connection:
            in_force = sessions.checked(connection)
        if wanted is not None:
            stack.enter_context(dirty_limits.applied(wanted))
        return bound, in_force


def _label(wanted: DirtyLimits | None) -> str:
    if wanted is None:
        return "the machine's own"
    return f"{wanted.limit_bytes / 2**20:.0f} MiB, background {wanted.background_bytes / 2**20:.0f} MiB"


def _extend(connection: psycopg.Connection[tuple[Any, ...]]) -> None:
    try:
        connection.execute("CREATE EXTENSION pg_buffercache")
    except psycopg.Error as error:
        raise MachineError(
            f"this PostgreSQL lacks the extension pg_buffercache: {str(error).splitlines()[0]}",
            "install its contrib package, or unset BENCHBOOK_PG_BIN to use the embedded one",
        ) from None
