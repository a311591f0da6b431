"""The chapter's tables: the note's numbers, poolers, connections, and every configuration."""

from __future__ import annotations

import pandas as pd

from benchbook.experiments.clients.summary import Summary
from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, levels, means, table


def note_claims(summary: Summary) -> pd.DataFrame:
    """What the note saw and expects: one run, no intervals."""
    waits, cpu = note("r8g_wait_events"), note("r8g_cpu_hit").set_index("metric")["value"]
    rows = [
        (f"clients in {row.wait_event}, of 100", f"{row.count_lo}–{row.count_hi}", str(row.issue))
        for row in waits.itertuples()
    ]
    rows += [
        ("hit ratio", f"{cpu['hit_ratio_start']:g} → {cpu['hit_ratio_end']:g} %", "warming over 60 s"),
        ("processor time", f"user {cpu['cpu_user']:g} %, system {cpu['cpu_system']:g} %, iowait below 1 %",
         "CPU-bound after the warm-up"),
        ("50 clients, 4 threads", "not run", "to reduce connection overhead"),
        ("PgCat", "not run", "1,000 clients or more with 100–250 connections"),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=["what", "note 003", "its reading"]).set_index("what")


def poolers(summary: Summary) -> pd.DataFrame:
    """Which poolers and which of their modes were measured, and why not."""
    p = summary.parameters
    name = str(summary.run.provenance.get("pooler", "PgBouncer"))
    off = "no: `make pooler` unpacks it, and parts must name it"
    prepared = (
        "yes" if p.pooled_prepared else "no: PgBouncer before 1.21 loses prepared statements between transactions"
    )
    rows = [
        (name, "transaction mode, simple protocol", "yes" if "pooled" in p.parts else off),
        (name, "transaction mode, prepared statements", prepared),
        ("PgCat", "transaction mode", "no: neither Debian nor the registry of Rust crates has it as a package"),
    ]
    return pd.DataFrame(rows, columns=["pooler", "mode", "measured here"]).set_index(["pooler", "mode"])


def connections(summary: Summary) -> pd.DataFrame:
    """Whether each configuration did what it is named for: connections by the server, clients, processor time."""
    columns = {
        "clients": lambda arm: f"{int(summary.configurations[arm].settings['clients'] or 0):,}",
        "pgbench threads": lambda arm: str(summary.configurations[arm].settings["threads"]),
    }
    columns |= means(summary, "connected_most", "clients_served", "cpu_busy", "pooler_cpu_us_per_transaction")
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS, mean and P95 of latency with intervals, log and reads per transaction."""
    columns = levels(summary, "tps", "latency_mean_ns", "latency_p95_ns", otherwise=NOT_ESTIMABLE)
    columns |= means(summary, "reads_per_transaction", "wal_bytes_per_transaction", otherwise=UNKNOWN)
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
