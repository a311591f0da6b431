"""Server settings of the notes' runs of pgbench, as far as they do not depend on the machine's size."""

from __future__ import annotations

from enum import StrEnum

from benchbook.model import Scalar

BLOCK_BYTES = 8192
Settings = dict[str, Scalar]


class Part(StrEnum):
    """How a trial is run.

    RESTART: TPC-B from a restart, with the OS cache in play (note 002); it holds the data unless an arm says
    otherwise. READS: read only with direct I/O, after a fill. WARM: TPC-B after a discarded run (note 003).
    """

    RESTART = "restart"
    READS = "reads"
    WARM = "warm"


TPCB = r"""\set aid {account}
\set bid random(1, {branches})
\set tid random(1, {tellers})
\set delta random(-5000, 5000)
BEGIN;
UPDATE pgbench_accounts SET abalance = abalance + :delta WHERE aid = :aid;
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
UPDATE pgbench_tellers SET tbalance = tbalance + :delta WHERE tid = :tid;
UPDATE pgbench_branches SET bbalance = bbalance + :delta WHERE bid = :bid;
INSERT INTO pgbench_history (tid, bid, aid, delta, mtime) VALUES (:tid, :bid, :aid, :delta, CURRENT_TIMESTAMP);
END;
"""
"""pgbench's own TPC-B, word for word but for the ranges; account: what draws one."""
LOOK_UP = r"""\set aid {account}
SELECT abalance FROM pgbench_accounts WHERE aid = :aid;
"""
"""Its look-ups, likewise."""
BOTH: Settings = {
    "synchronous_commit": True,
    "bgwriter_delay": "10ms",
    "wal_writer_delay": "10ms",
    "random_page_cost": 1.1,
}
"""What notes 002 and 003 have in common."""
NOTE_002: Settings = BOTH | {
    "max_wal_size": "48GB",
    "min_wal_size": "4GB",
    "checkpoint_timeout": "30min",
    "commit_delay": 50,
    "commit_siblings": 10,
    "bgwriter_lru_multiplier": 10.0,
    "effective_io_concurrency": 200,
    "wal_writer_flush_after": "1MB",
}
ROUND_2: Settings = BOTH | {
    "commit_delay": 0,
    "commit_siblings": 3,
    "bgwriter_lru_maxpages": 500,
    "bgwriter_lru_multiplier": 4.0,
    "effective_io_concurrency": 100,
    "wal_writer_flush_after": "2MB",
}
"""Of note 003's second round, without its workers."""
NOTE_003: Settings = ROUND_2 | {
    "max_worker_processes": 4,
    "max_parallel_workers": 4,
    "max_parallel_workers_per_gather": 2,
}


def restarted(workers: int, lru_maxpages: Scalar) -> Settings:
    """Note 002's, with so many workers, of which a query gets a quarter of 32 and half of 8."""
    return NOTE_002 | {
        "max_worker_processes": workers,
        "max_parallel_workers": workers,
        "max_parallel_workers_per_gather": 8 if workers >= 32 else 4,
        "bgwriter_lru_maxpages": lru_maxpages,
    }


def pool_blocks(size_bytes: float) -> int:
    """Shared buffers of about this size in blocks of 8 KiB, no fewer than the server starts with."""
    return max(128, round(size_bytes / BLOCK_BYTES))
