"""The chapter's tables: the notes' own numbers, what differs from them here, and every configuration."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table
from benchbook.experiments.shared_buffers.arms import SCENARIO_A, SCENARIO_B
from benchbook.experiments.shared_buffers.summary import SERVED, Summary


def note_claims(summary: Summary) -> pd.DataFrame:
    """The notes' own numbers: one run each, without intervals."""
    three = note("c8gb_runs")[["scenario", "shared_buffers_gb", "tps_avg", "tps_peak", "tps_min", "latency_ms"]]
    rounds = note("r8g_runs")[["label", "shared_buffers_gb", "tps", "latency_ms"]]
    columns = ["run", "shared_buffers (GB)", "TPS", "highest 5 s", "lowest 5 s", "mean latency (ms)"]
    first = three.set_axis(columns, axis=1).assign(note="002")
    second = rounds.set_axis([columns[0], columns[1], columns[2], columns[5]], axis=1).assign(note="003")
    both = pd.concat([first, second]).set_index(["note", "run"])
    return both.map(lambda value: "" if pd.isna(value) else f"{value:g}" if value < 100 else f"{value:,.0f}")


def differences(summary: Summary) -> pd.DataFrame:
    """What differs from the notes' runs, and which way that should act; what a run did not record is "unknown"."""
    p, known = summary.parameters, summary.run.provenance
    slow, vm = p.allow_slow_storage, p.allow_vm_settings
    cap = known.get("storage_iops") or UNKNOWN
    rows = (
        ("server", "PostgreSQL 16", f"PostgreSQL {known.get('engine_version', UNKNOWN)}",
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
        ("wal_compression", "lz4, in round 3 off", str(known.get("wal_compression", UNKNOWN)),
         "pglz takes more processor time for each full page image: switching it off gains more"),
        ("autovacuum", "on", "off for note 002; on for note 003, naptime in lengths of a trial",
         "a little faster than the note's, alike in all configurations"),
    )  # fmt: skip
    return pd.DataFrame(rows, columns=["what", "notes 002 and 003", "here", "expected to act"]).set_index("what")


def _per_page(summary: Summary) -> str:
    metric = "transactions_per_account_page"
    known = summary.having((SCENARIO_A, SCENARIO_B), metric)
    return " and ".join(f"{summary.mean(arm, metric):.2f}" for arm in known) or UNKNOWN


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS, mean, P95, P99 and sd of latency with intervals, where each block request was served."""
    times = (f"latency_{name}_ns" for name in ("mean", "p95", "p99", "sd"))
    columns = levels(summary, "tps", *times, otherwise=NOT_ESTIMABLE)
    columns |= means(summary, *SERVED, otherwise=UNKNOWN)
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
