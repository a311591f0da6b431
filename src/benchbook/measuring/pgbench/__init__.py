"""pgbench under bounded memory: a door to what chapters use of it."""

from benchbook.engines.bounds import MemoryBound
from benchbook.engines.pgbench import WaitSampler, Workload, connect, residency
from benchbook.measuring.pgbench import (
    capped,
    courses,
    spent,
    states,
    storage,
    tables,
    tallies,
    treatment,
    turns,
    windows,
)
from benchbook.measuring.pgbench.bench import Bench, Measured, Metrics, at_end, of_caches
from benchbook.measuring.pgbench.capped import Capped, Limited, has_huge_pages
from benchbook.measuring.pgbench.estimands import UNKNOWN, largest, mean, repeated, second_name
from benchbook.measuring.pgbench.ladder.counted import check_balances, of_waits
from benchbook.measuring.pgbench.looks import Looks, Pressure
from benchbook.measuring.pgbench.metric_words import LOOKED, METRICS, MIB, SPENT, STATES, WAITED, percent
from benchbook.measuring.pgbench.parameters import (
    PAGES_PER_SCALE,
    RAM_OVER_DATA,
    SMALL_RAM_OVER_DATA,
    Parameters,
    StorageParameters,
    log_bytes,
    needs,
    undelayed,
)
from benchbook.measuring.pgbench.settings import LOOK_UP, NOTE_002, NOTE_003, ROUND_2, TPCB, Part, Settings, pool_blocks
from benchbook.measuring.pgbench.summary import Summary
from benchbook.measuring.pgbench.treatment import claim_checks, claimed
from benchbook.measuring.pgbench.turns import SideBySide, Turns, history
from benchbook.measuring.samples import of_sample as reduce
from benchbook.measuring.samples import reduced, subsample

__all__ = [
    "LOOKED", "LOOK_UP", "METRICS", "MIB", "NOTE_002", "NOTE_003", "PAGES_PER_SCALE", "RAM_OVER_DATA", "ROUND_2",
    "SMALL_RAM_OVER_DATA", "SPENT", "STATES", "TPCB", "UNKNOWN", "WAITED", "Bench", "Capped", "Limited", "Looks",
    "Measured", "MemoryBound", "Metrics", "Parameters", "Part", "Pressure", "Settings", "SideBySide",
    "StorageParameters", "Summary", "Turns", "WaitSampler", "Workload", "at_end", "capped", "check_balances",
    "claim_checks", "claimed", "connect", "courses", "has_huge_pages", "history", "largest", "log_bytes", "mean",
    "needs", "of_caches", "of_waits", "percent", "pool_blocks", "reduce", "reduced", "repeated", "residency",
    "second_name", "spent", "states", "storage", "subsample", "tables", "tallies", "treatment", "turns", "undelayed",
    "windows",
]  # fmt: skip
