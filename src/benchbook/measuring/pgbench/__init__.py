"""pgbench under bounded memory: a door to what chapters use of it."""

from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import Workload, connect, residency
from benchbook.measuring.pgbench import capped, courses, spent, storage, tables, tallies, treatment, windows
from benchbook.measuring.pgbench.bench import Bench, Measured, Metrics, of_caches
from benchbook.measuring.pgbench.capped import Capped
from benchbook.measuring.pgbench.checks import claim_checks, has_huge_pages
from benchbook.measuring.pgbench.estimands import largest
from benchbook.measuring.pgbench.estimates import log_bytes, needs
from benchbook.measuring.pgbench.ladder.counted import check_balances
from benchbook.measuring.pgbench.looks import Looks
from benchbook.measuring.pgbench.metric_words import LOOKED, METRICS, MIB, SPENT, percent
from benchbook.measuring.pgbench.parameters import (
    PAGES_PER_SCALE,
    RAM_OVER_DATA,
    SMALL_RAM_OVER_DATA,
    Parameters,
    StorageParameters,
)
from benchbook.measuring.pgbench.settings import NOTE_003, Part, Settings, pool_blocks
from benchbook.measuring.pgbench.summary import Summary
from benchbook.measuring.pgbench.turns import reduce
from benchbook.measuring.samples import reduced, subsample

__all__ = [
    "LOOKED", "METRICS", "MIB", "NOTE_003", "PAGES_PER_SCALE", "RAM_OVER_DATA", "SMALL_RAM_OVER_DATA", "SPENT", "Bench",
    "Capped", "Looks", "Measured", "MemoryBound", "Metrics", "Parameters", "Part", "Settings", "StorageParameters",
    "Summary", "Workload", "capped", "check_balances", "claim_checks", "connect", "courses", "has_huge_pages",
    "largest", "log_bytes", "needs", "of_caches", "percent", "pool_blocks", "reduce", "reduced", "residency", "spent",
    "storage", "subsample", "tables", "tallies", "treatment", "windows",
]  # fmt: skip
