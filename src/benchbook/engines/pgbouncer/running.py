"""pgbench through a pooler: the same run as without one, and which clients it served to the end."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pyarrow import csv

from benchbook import nofollow
from benchbook.engines.pgbench import running, transactions
from benchbook.engines.pgbench.log import read_log
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
    if workload.rate_per_s is not None or not workload.log:
        raise BenchbookError("who was served is read from the log of a closed loop", "leave log on, and the rate out")
    folder = Path(tempfile.mkdtemp(prefix="pgbench-", dir=logs or pooler.cluster.folder))
    try:
        pooler.cluster.let_through(folder)
        written = pooler.cluster.made_over(folder / "written")
        clock = running._Clock(workload, time.time() + workload.limit_s)
        said, told = running._pgbench(
            pooler.front,
            workload.arguments(written / "log"),
            timeout_s=workload.limit_s + running.PATIENCE_S,
            pinned=None,
            stop=clock.is_over,
        )
        progress, processed = transactions.read_report(said, told)
        files = list(written.glob("log.*"))
        done = transactions.from_log(workload, read_log(files, lag=False), progress, processed, int(clock.end_s * 1e6))
        return Served(done, served(files, workload.duration_s))
    except MachineError as error:
        raise pooler.died() or error from error
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def served(files: list[Path], duration_s: int) -> int:
    """How many clients completed a transaction in the last part of so many seconds from the first one's end."""
    names = ["client", "number", "time", "script", "seconds", "microseconds"]
    options = csv.ReadOptions(column_names=names)
    tables = []
    for path in files:
        with nofollow.opened(path) as file:
            if os.fstat(file.fileno()).st_size:
                tables.append(csv.read_csv(file, read_options=options, parse_options=csv.ParseOptions(delimiter=" ")))
    clients = np.concatenate([table["client"].to_numpy() for table in tables])
    ends = np.concatenate([table["seconds"].to_numpy() + table["microseconds"].to_numpy() / 1e6 for table in tables])
    since = ends.min() + duration_s * (1 - LAST_SHARE)
    late = (ends >= since) & (ends <= ends.min() + duration_s)
    return len(np.unique(clients[late]))
