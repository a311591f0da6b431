"""The chapter's tables: the note's timelines, what else differs from its runs, and every configuration."""

from __future__ import annotations

from functools import partial

import pandas as pd

from benchbook.experiments.families.pgbench.words import UNKNOWN
from benchbook.experiments.io_cliff.summary import Summary
from benchbook.experiments.notes import table as note
from benchbook.experiments.shape.tables import NOT_ESTIMABLE, Columns, levels, means, table


def settings(summary: Summary) -> pd.DataFrame:
    """One row per setting: in the note, here, and its expected effect on a fall."""
    p, record = summary.parameters, summary.run.provenance
    version, compression = str(record.get("engine_version", UNKNOWN)), str(record.get("wal_compression", UNKNOWN))
    major = version.partition(".")[0]
    reads = "by worker processes" if major.isdigit() and int(major) >= 18 else "by the backends"
    gib, cores = float(record.get("data_bytes", p.data_bytes)) / 2**30, record.get("cores", UNKNOWN)
    disk = (
        "a file behind a loop device, capped in writes a second" if summary.capped else "the machine's own, not capped"
    )
    rows = (
        ("data disk", "array of 8 EBS volumes", disk, "none while the cap is in the note's proportion"),
        ("disk of the log", "an array of its own", "the machine's own" if summary.capped else "the same", "none"),
        ("processors", "32", str(cores), "none: the cap is in proportion to the transactions"),
        ("data", "about 20 GiB", f"{gib:.2f} GiB", "none: pool, memory and limits are in proportion to the data"),
        ("clients", "100, 0.08 per branch", f"{p.clients}, {p.clients / p.scale:.2g} per branch",
         "shallower: more of them wait for locks before the fall"),
        ("where the clients run", "on the server's machine", "on the server's machine", "none"),
        ("PostgreSQL", "16.11", version, "none expected"),
        ("reads (io_method)", "by the backends", reads, "none: the data is in the page cache"),
        ("compression of the log", "lz4", compression, "later and shallower: more processor time"),
        ("autovacuum", "on, every minute", "off", "later: fewer pages are changed"),
        ("file system", "XFS", "ext4", "shallower: on XFS readers of a file may wait for its writers"),
        ("pool at the start", "run 1 full, others empty", "empty", "later than in the note's run 1"),
    )  # fmt: skip
    columns = ["setting", "the note", "here", "expected effect on the fall"]
    return pd.DataFrame(rows, columns=columns).set_index("setting")


def note_timeline(summary: Summary) -> pd.DataFrame:
    """The note's three timelines side by side, TPS per 5 s."""
    found = note("c8gb_timeline").pivot_table(index="t_s", columns="run", values="tps")
    found.columns = pd.Index(["run 1: baseline", "run 2: A", "run 3: B"])
    found.index.name = "second"
    return found.map(lambda value: "" if pd.isna(value) else f"{value:,.0f}")


def overview(summary: Summary) -> pd.DataFrame:
    """Per configuration: TPS with interval, latency, trials with a cliff, dirty data, evictions, writes."""

    def cliffs(arm: str) -> str:
        return "{} of {}".format(*summary.cliffs(arm)) if summary.has(arm, "cliff") else NOT_ESTIMABLE

    def begun(arm: str) -> str:
        if not summary.has(arm, "checkpoints"):
            return UNKNOWN
        values = summary.values(arm, "checkpoints")
        least, most = int(values.min()), int(values.max())
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    counted = partial(means, summary, otherwise=UNKNOWN)
    columns: Columns = {
        **levels(summary, "tps", "latency_mean_ns", "latency_p99_ns", otherwise=NOT_ESTIMABLE),
        "trials with a cliff": cliffs,
        **counted("evictions", "dirty_peak_bytes", "dirty_limit_bytes", "disk_written_bytes", "storage_write_iops"),
        "checkpoints": begun,
        **counted("wal_bytes", "transactions_per_account_page"),
    }
    return table([({"configuration": summary.label(arm)}, arm) for arm in summary.arms], columns)
