"""The table of what differs from the notes' runs, with the direction in which each difference is expected to act."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.shared_buffers.arms import SCENARIO_A, SCENARIO_B
from benchbook.experiments.shared_buffers.summary import Summary

_COLUMNS = ("what", "notes 002 and 003", "here", "expected to act")


def differences(summary: Summary) -> pd.DataFrame:
    """One row for each difference; what a run did not record is "unknown"."""
    p, known = summary.parameters, summary.run.provenance
    slow, vm = p.allow_slow_storage, p.allow_vm_settings
    cap = known.get("storage_iops") or "unknown"
    rows = (
        ("server", "PostgreSQL 16", f"PostgreSQL {known.get('engine_version', 'unknown')}",
         "hardly: pages are replaced by the same clock sweep; this one counts evictions"),
        ("io_method", "reads in the backend", "the server's default",
         "not at all: single pages are read in the backend by either"),
        ("data, clients", "scale 1,250 or 500, 100 clients: 12.5 or 5 branches for each",
         f"scale {p.scale}, {p.clients} clients: {p.scale / p.clients:.2g} branches for each",
         "more waiting for rows of branches, so all differences look smaller"),
        ("length", "60 s: 0.62, 0.71 and 0.92 transactions per page of the accounts",
         f"{p.tpcb_seconds} s: {_per_page(summary)}; {p.warm_seconds} s after a warm start",
         "a pool is filled by transactions per page, not by seconds"),
        ("processors", "32 and 4, clients on the same machine", "clients on the same machine",
         "with fewer processors a transaction takes longer beside its reads: differences look smaller"),
        ("data volume", "RAID 10 of eight EBS volumes",
         f"a loop device, capped at {cap} writes a second" if slow else "the local disk",
         "hardly while the cap is in the note's proportion; it decides how deep a small pool falls"),
        ("log volume", "RAID 10 of EBS volumes of its own", "the local disk, not capped",
         "commits wait less, so evictions weigh more: differences look larger"),
        ("limits of dirty data", "4 and 1 % of memory, 2 s, by note 002's raw reports",
         "the same shares of the bound" if vm else "this machine's own",
         "not at all" if vm else "nothing that is evicted has to wait: no difference between pools"),
        ("memory", "61 GiB for 18 GiB of data; 32 GB for 7.3 GiB",
         "a control group with the same proportions" if p.bound_memory else "not bounded",
         "not at all" if p.bound_memory else "shares of memory mean nothing"),
        ("huge pages", "note 003: on", "reserved for each trial" if vm else "ordinary pages",
         "not at all" if vm else "a pool takes only the memory that it uses"),
        ("wal_compression", "lz4, in round 3 off", str(known.get("wal_compression", "unknown")),
         "pglz takes more processor time for each full page image: switching it off gains more"),
        ("autovacuum", "on", "off for note 002; on for note 003, naptime in lengths of a trial",
         "a little faster than the note's, alike in all configurations"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=_COLUMNS).set_index("what")


def _per_page(summary: Summary) -> str:
    metric = "transactions_per_account_page"
    known = summary.having((SCENARIO_A, SCENARIO_B), metric)
    return " and ".join(f"{summary.mean(arm, metric):.2f}" for arm in known) or "unknown"
