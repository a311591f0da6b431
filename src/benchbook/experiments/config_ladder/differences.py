"""The table of what differs from the notes' runs, with the direction in which each difference is expected to act."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.config_ladder.summary import Summary
from benchbook.experiments.families.pgbench.words import UNKNOWN

_COLUMNS = ("what", "notes 002 and 003", "here", "expected to act")


def differences(summary: Summary) -> pd.DataFrame:
    """One row for each difference; what a run did not record is "unknown"."""
    p, known = summary.parameters, summary.run.provenance
    slow, vm = p.allow_slow_storage, p.allow_vm_settings
    rows = (
        ("server", "PostgreSQL 16", f"PostgreSQL {known.get('engine_version', UNKNOWN)}", "hardly"),
        ("data, clients", "scale 1,250 or 500, 100 clients: 12.5 or 5 branches for each",
         f"scale {p.scale}, {p.clients} clients: {p.scale / p.clients:.2g} branches for each",
         "more waiting for rows of branches, so all differences look smaller"),
        ("length", "60 s", f"{p.restart_seconds} s from a restart, {p.warm_seconds} s for note 003",
         "a pool is filled by transactions per page, not by seconds"),
        ("processors", "32 and 4, clients on the same machine", f"{known.get('cores', UNKNOWN)}, with the clients",
         "group commit has fewer commits to join"),
        ("data volume", "EBS", f"a loop device, capped at {known.get('storage_iops') or UNKNOWN} writes a second for "
         "note 002's workers; else the local disk" if slow else "the local disk",
         "a flush takes less time than over a network: commit_delay gains less" if slow else
         "nothing that is evicted has to wait"),
        ("limits of dirty data", "note 002: 4 and 1 % of memory", "the same shares of the bound" if vm
         else "this machine's own", "not at all" if vm else "throughput falls later or not at all"),
        ("memory", "RAM of the machine", "a control group in the same proportions, log buffers on top"
         if p.bound_memory else "not bounded", "not at all" if p.bound_memory else "a pool matters less"),
        ("huge pages", "note 003: on", "reserved for each trial" if vm else "ordinary pages", "not at all"),
        ("wal_compression", "lz4, in round 3 off",
         f"lz4 on a second server (PostgreSQL {known.get('second_engine_version') or 'not measured'}); "
         f"{known.get('wal_compression', UNKNOWN)} elsewhere",
         "pglz takes more processor time for each page image"),
        ("autovacuum_naptime", "1 and 10 min", "1 and 10 lengths of a trial", "not at all"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=_COLUMNS).set_index("what")
