"""pgbench under bounded memory: a door to what chapters use of it."""

from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, connect, residency
from benchbook.measuring.pgbench import spent, storage, tables, tallies, windows
from benchbook.measuring.pgbench.bench import Bench, Measured, Metrics, of_caches
from benchbook.measuring.pgbench.estimates import log_bytes, needs
from benchbook.measuring.pgbench.ladder.counted import check_balances
from benchbook.measuring.pgbench.looks import Looks
from benchbook.measuring.pgbench.metric_words import LOOKED, METRICS
from benchbook.measuring.pgbench.parameters import RAM_OVER_DATA, Parameters, StorageParameters
from benchbook.measuring.pgbench.settings import NOTE_003, Part, Settings, pool_blocks
from benchbook.measuring.pgbench.summary import Summary
from benchbook.measuring.pgbench.turns import reduce
from benchbook.measuring.samples import reduced, subsample

__all__ = [
    "LOOKED", "METRICS", "NOTE_003", "RAM_OVER_DATA", "Bench", "Looks", "Measured", "MemoryBound", "Metrics",
    "Parameters", "Part", "Settings", "StorageParameters", "Summary", "Workload", "check_balances", "connect",
    "log_bytes", "needs", "of_caches", "pool_blocks", "reduce", "reduced", "residency", "spent", "storage",
    "subsample", "tables", "tallies", "windows",
]  # fmt: skip
