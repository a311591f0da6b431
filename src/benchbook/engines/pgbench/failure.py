"""A trial whose server or pgbench died: what is recorded of it, and when the run ends instead."""

from __future__ import annotations

import psycopg

from benchbook import mishaps
from benchbook.engines.postgres import Cluster, mishap
from benchbook.errors import BenchbookError, MachineError

FAILURES = (BenchbookError, psycopg.Error)
"""What a trial may raise when its server or pgbench dies."""


def recorded(cluster: Cluster, error: Exception, *, keep_going: bool) -> str:
    """The problem in words for the trial's record; the server is stopped at once.

    Errors: MachineError when the disk is full, and for any failure unless ``keep_going``.
    """
    known = mishap.explained(cluster, error) if isinstance(error, psycopg.Error) else error
    cluster.stop_at_once()
    problem = known.problem if isinstance(known, BenchbookError) else str(known)
    if mishaps.nearly_full(cluster.folder.parent) or mishaps.says_full(problem):
        raise mishaps.full(cluster.folder.parent, problem) from error
    if not keep_going:
        mend = known.mend if isinstance(known, BenchbookError) else "see the message"
        raise MachineError(
            f"a trial failed: {problem}", f"{mend}; keep_going=true records such trials and goes on"
        ) from error
    return problem.replace(str(cluster.folder), "the cluster's folder")  # it is stored, and may be published
