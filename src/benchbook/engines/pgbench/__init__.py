"""The pgbench of the server's own installation: tables made, a workload run, its log read, its data restored."""

from benchbook.engines.pgbench.counters import Counters, own_commits
from benchbook.engines.pgbench.counters import read as read_counters
from benchbook.engines.pgbench.running import connect, initialise, run
from benchbook.engines.pgbench.template import Template
from benchbook.engines.pgbench.transactions import Progress, Transactions
from benchbook.engines.pgbench.waits import Waits, WaitSampler
from benchbook.engines.pgbench.watching import Watch, Watched
from benchbook.engines.pgbench.workload import DATABASE, Workload, data_bytes

__all__ = [
    "DATABASE",
    "Counters",
    "Progress",
    "Template",
    "Transactions",
    "WaitSampler",
    "Waits",
    "Watch",
    "Watched",
    "Workload",
    "connect",
    "data_bytes",
    "initialise",
    "own_commits",
    "read_counters",
    "run",
]
