"""A trial whose server or pgbench died: what is recorded of it, and when the run ends instead."""

from __future__ import annotations

import psutil
import psycopg

from benchbook.engines.postgres import Cluster
from benchbook.engines.postgres.halt import stop_at_once
from benchbook.errors import BenchbookError, MachineError

FULL_DISK_BYTES = 64 * 2**20
FAILURES = (BenchbookError, psycopg.Error)
"""What a trial may raise when its server or pgbench dies."""


def recorded(cluster: Cluster, error: Exception, *, keep_going: bool) -> str:
    """The problem in words for the trial's record; the server is stopped at once.

    Errors: MachineError when the disk is full, and for any failure unless ``keep_going``.
    """
    stop_at_once(cluster)
    problem = error.problem if isinstance(error, BenchbookError) else str(error).strip().splitlines()[0]
    if psutil.disk_usage(str(cluster.folder.parent)).free < FULL_DISK_BYTES or "No space left" in problem:
        raise MachineError(
            f"the disk of {cluster.folder.parent} is full: {problem}",
            "make room, or set BENCHBOOK_SCRATCH to a larger disk, and repeat the command: it resumes the run",
        ) from error
    if not keep_going:
        raise MachineError(
            f"a trial failed: {problem}", "see the message; keep_going=true records such trials and goes on"
        ) from error
    return problem.replace(str(cluster.folder), "the cluster's folder")  # it is stored, and may be published
