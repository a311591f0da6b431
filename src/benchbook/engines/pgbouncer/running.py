"""pgbench through a pooler: the same run as without one, and which clients it served to the end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchbook.engines.pgbench import running, transactions
from benchbook.engines.pgbench.log import Log, read_log
from benchbook.engines.pgbench.transactions import Transactions
from benchbook.engines.pgbench.workload import Workload
from benchbook.engines.pgbouncer.pooler import Pooler
from benchbook.errors import BenchbookError, MachineError

LAST_SHARE = 1 / 6
"""A client was served to the end when it completed a transaction in this last part of the window."""


@dataclass(frozen=True)
class Served:
    """done: what happened in the window. to_the_end: clients with a transaction in its last part."""

    done: Transactions
    to_the_end: int


def run(pooler: Pooler, workload: Workload, *, logs: Path | None = None) -> Served:
    """Run a workload with a log through a running pooler.

    As ``pgbench.run``, but the server need not allow as many connections as there are clients. Raises MachineError
    when the pooler dies meanwhile, and as that does.
    """
    workload.check()
    if not workload.log:
        raise BenchbookError("who was served is read from the log", "leave log on")
    with running.log_folder(pooler.cluster, logs) as (_, written):
        try:
            ended = running.ended(pooler.front, workload, written / "log")
            log = read_log(list(written.glob("log.*")))
            return Served(transactions.from_log(workload, log, *ended), served(log, workload.duration_s))
        except MachineError as error:
            raise pooler.died() or error from error


def served(log: Log, duration_s: int) -> int:
    """How many clients completed a transaction in the last part of so many seconds from the first one's end."""
    since_s = (log.end_us - log.end_us.min()) / 1e6
    late = (since_s >= duration_s * (1 - LAST_SHARE)) & (since_s <= duration_s)
    return len(np.unique(log.client[late]))
